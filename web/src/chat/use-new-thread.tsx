import type { Project } from '@reborn-agent/client/api';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { AssistantPicker } from '../assistants/assistant-picker.tsx';
import { findMention, useAssistants } from '../assistants/use-assistants.ts';
import { sendMessage } from '../client/send.ts';
import { ModelPicker } from '../models/model-picker.tsx';
import { noteBegun } from './begun-turns.ts';
import type { Attachment } from './composer/attachments.ts';
import { keepWebChoice, type WebChoice } from './composer/web-switch.tsx';

type Start = {
  /** The thread begins in it, with its defaults. */
  readonly project?: Pick<Project, 'id' | 'model' | 'assistant'>;
  readonly temporary?: boolean;
};

type NewThread = {
  /** Sends the first message, and opens the thread that it makes. */
  readonly send: (message: string, attachments?: readonly Attachment[]) => Promise<void>;
  /** Who answers. */
  readonly pickers: ReactNode;
  readonly web: WebChoice;
};

export function useNewThread({ project, temporary = false }: Start): NewThread {
  const navigate = useNavigate();
  const assistants = useAssistants();
  const [model, setModel] = useState<string>();
  const [named, setNamed] = useState<string | null>();
  const [isOn, setOn] = useState(true);
  const web = { isOn, choose: setOn };

  async function send(typed: string, attachments: readonly Attachment[] = []): Promise<void> {
    const { message, assistant } = findMention(typed, assistants) ?? { message: typed, assistant: named };
    const accepted = await sendMessage({
      message,
      attachments,
      ...(model !== undefined && { model }),
      ...(assistant !== undefined && { assistant }),
      ...(!web.isOn && { web: false }),
      ...(temporary && { temporary }),
      ...(project && { project_id: project.id }),
    });
    noteBegun(accepted);
    const { thread_id: threadId } = accepted;
    keepWebChoice(threadId, web.isOn);
    await navigate({ to: '/threads/$threadId', params: { threadId } });
  }

  const pickers = (
    <>
      <AssistantPicker chosen={named === undefined ? (project?.assistant ?? null) : named} onChoose={setNamed} />
      <ModelPicker chosen={model ?? project?.model ?? null} onChoose={setModel} />
    </>
  );
  return { send, pickers, web };
}

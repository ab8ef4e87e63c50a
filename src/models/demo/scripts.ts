import { chartScript } from './chart-script.ts';
import { fileScript } from './file-script.ts';
import { missionScript, reminderScript } from './mission-script.ts';
import { noteScript } from './note-script.ts';
import type { Call, Scene, Script } from './scene.ts';
import { timeScript } from './time-script.ts';

const SCRIPTS: readonly Script[] = [noteScript, missionScript, reminderScript, chartScript, fileScript, timeScript];

/** What the demo model does with a sentence that it knows; undefined for others. */
export function followScript(scene: Scene): string | Call | undefined {
  for (const { asks, next } of SCRIPTS)
    for (const { language, words } of asks) {
      const match = words.exec(scene.said);
      if (match) return next(scene, { language, groups: match.slice(1).map((group) => group?.trim() ?? '') });
    }
  return undefined;
}

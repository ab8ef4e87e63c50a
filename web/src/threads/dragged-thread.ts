import { type DragEvent, useState } from 'react';

const TYPE = 'application/x-reborn-thread';

/** Makes a thread something that can be dragged. */
export const dragsThread = (id: string) => ({
  draggable: true,
  onDragStart: (event: DragEvent) => {
    event.dataTransfer.setData(TYPE, id);
    event.dataTransfer.effectAllowed = 'copyMove';
  },
});

/** Makes an element a place where threads are dropped. `isOver`: one is held over it. */
export function useThreadDrop(onDrop: (id: string) => void) {
  const [isOver, setOver] = useState(false);
  const isThread = (event: DragEvent) => event.dataTransfer.types.includes(TYPE);
  return {
    isOver,
    dropProps: {
      onDragOver: (event: DragEvent) => {
        if (!isThread(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'move';
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!isThread(event)) return;
        event.preventDefault();
        onDrop(event.dataTransfer.getData(TYPE));
      },
    },
  };
}

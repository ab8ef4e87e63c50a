import type { Command } from 'commander';
import { addCellDrainCommand } from './cell-drain.ts';

/** `reborn cell`: one of several installations behind one address. */
export function addCellCommands(program: Command): void {
  const cell = program.command('cell').description('Empty a cell, one of several installations behind one address.');
  addCellDrainCommand(cell);
}

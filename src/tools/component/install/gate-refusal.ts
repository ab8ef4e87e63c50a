/** The component does not pass. The message tells its author what is wrong and what to do. */
export class GateRefusal extends Error {
  override readonly name = 'GateRefusal';
}

/** The component is refused. The message says what is wrong and what to do. */
export class GateRefusal extends Error {
  override readonly name = 'GateRefusal';
}

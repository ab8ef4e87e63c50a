/** How much was searched and opened. `searchesOfRun`: since the person's last message, with the call that asks. */
export type WebUse = {
  readonly searchesOfRun: number;
  readonly searchesToday: number;
  readonly pagesToday: number;
};

/** The part of the WebAssembly API that is used here: the compiler's `esnext` has none, and `dom` is not ours. */
declare namespace WebAssembly {
  class Module {
    private readonly brand: 'Module';
  }
  class Instance {
    constructor(module: Module, imports: object);
    readonly exports: Readonly<Record<string, unknown>>;
  }
  class Memory {
    private constructor();
    readonly buffer: ArrayBuffer;
  }
  class RuntimeError extends Error {}
  function compile(bytes: Uint8Array): Promise<Module>;
}

/** The events of a simulation, in the order of their times. Time is in ms. */
export class Clock {
  now = 0;
  #events: { readonly at: number; readonly act: () => void }[] = [];

  after(ms: number, act: () => void): void {
    const event = { at: this.now + ms, act };
    // A binary heap: the parent of the event at `index` is at half of it.
    let index = this.#events.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = this.#events[parent];
      if (!above || above.at <= event.at) break;
      this.#events[index] = above;
      this.#events[parent] = event;
      index = parent;
    }
  }

  runUntil(end: number): void {
    for (let event = this.#events[0]; event && event.at <= end; event = this.#events[0]) {
      this.#removeFirst();
      this.now = event.at;
      event.act();
    }
    this.now = end;
  }

  #removeFirst(): void {
    const last = this.#events.pop();
    if (!last || this.#events.length === 0) return;
    let index = 0;
    for (;;) {
      const child = this.#smallerChild(index);
      const below = this.#events[child];
      if (!below || below.at >= last.at) break;
      this.#events[index] = below;
      index = child;
    }
    this.#events[index] = last;
  }

  #smallerChild(index: number): number {
    const [left, right] = [this.#events[2 * index + 1], this.#events[2 * index + 2]];
    return 2 * index + (left && right && right.at < left.at ? 2 : 1);
  }
}

/** Some cores that serve one request each, first come, first served. */
export class Station {
  readonly #clock: Clock;
  #free: number;
  #waiting: { readonly ms: number; readonly done: () => void }[] = [];
  #taken = 0;

  constructor(clock: Clock, cores: number) {
    this.#clock = clock;
    this.#free = cores;
  }

  serve(ms: number, done: () => void): void {
    if (this.#free === 0) this.#waiting.push({ ms, done });
    else {
      this.#free--;
      this.#begin(ms, done);
    }
  }

  #begin(ms: number, done: () => void): void {
    this.#clock.after(ms, () => {
      const next = this.#takeNext();
      if (next) this.#begin(next.ms, next.done);
      else this.#free++;
      done();
    });
  }

  /** Those that were taken are removed many at a time: `shift` would move a long queue each time. */
  #takeNext() {
    const next = this.#waiting[this.#taken];
    if (!next) return undefined;
    this.#taken++;
    if (this.#taken === 1000) {
      this.#waiting = this.#waiting.slice(this.#taken);
      this.#taken = 0;
    }
    return next;
  }
}

/** Measures where the start of an application takes its time, for its log at `Log:Level=debug`. */
export class StartTimes {
  /** The module whose work is measured at the moment; empty between modules. */
  module = ''
  private readonly phases = new Map<string, number>()
  private readonly steps: { readonly name: string; readonly ms: number }[] = []

  /** Measures a phase of the start as a whole. */
  async phase(name: string, work: () => Promise<void>): Promise<void> {
    this.phases.set(name, await durationOf(work))
  }

  /** Measures what one module does in a phase. */
  async step(phase: string, module: string, work: () => void | Promise<void>): Promise<void> {
    this.module = module
    this.steps.push({ name: `${module} ${phase}`, ms: await durationOf(work) })
    this.module = ''
  }

  /** Milliseconds by phase, and the longest steps of modules. */
  summary(): { readonly phases: Readonly<Record<string, number>>; readonly longest: string } {
    const longest = this.steps.toSorted((one, other) => other.ms - one.ms).slice(0, 10)
    return {
      phases: Object.fromEntries(this.phases),
      longest: longest.map(({ name, ms }) => `${name} ${ms}`).join(', '),
    }
  }
}

async function durationOf(work: () => void | Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return Math.round(performance.now() - began)
}

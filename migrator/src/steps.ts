import { type Progress, progressBar, progressLines } from '@keel/framework'

/** Something that happened in a run; with `--json` a line of its own. */
export interface StepReport {
  /** Which part of the run: `check`, `lock`, `migrate`, `revert`, `seed`, … and at last `end`. */
  readonly step: string
  readonly state: 'waiting' | 'progress' | 'done' | 'failed'
  /** For a person. */
  readonly message: string
  readonly [detail: string]: unknown
}

/** The output of steps. */
export interface StepOutput {
  /** JSON lines for programs, or lines for a person and, on a terminal, a bar. */
  readonly format: 'json' | 'text'
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream & { isTTY?: boolean }
  /** Takes secrets out of a line. */
  readonly mask: (line: string) => string
}

/** Tells a person or a program what a run does, step by step. */
export class Steps {
  private total = 0
  private done = 0
  private readonly bar: Progress | undefined
  private readonly inner: Progress

  constructor(private readonly output: StepOutput) {
    const { format, stderr } = output
    const isTerminal = format === 'text' && stderr.isTTY === true
    this.bar = isTerminal ? progressBar((text) => stderr.write(text)) : undefined
    this.inner =
      this.bar ?? progressLines((message) => this.tell({ step: 'seed', state: 'progress', message }))
  }

  /** How many steps are ahead, for the bar. */
  expect(total: number): void {
    this.total = total
    this.done = 0
  }

  /** Does a step and tells how it ended and how long it took; `work` may add details. */
  async run<T>(
    step: string,
    message: string,
    work: (details: Record<string, unknown>) => Promise<T> | T,
  ): Promise<T> {
    const began = performance.now()
    const details: Record<string, unknown> = {}
    const durationMs = (): number => Math.round(performance.now() - began)
    this.bar?.(`${step} ${message}, step`, this.done, Math.max(this.total, this.done + 1))
    try {
      const result = await work(details)
      this.done += 1
      this.tell({ step, state: 'done', message, ...details, durationMs: durationMs() })
      return result
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.tell({ step, state: 'failed', message, ...details, durationMs: durationMs(), error: reason })
      throw error
    }
  }

  tell(report: StepReport): void {
    const { format, stdout, mask } = this.output
    if (this.bar) this.output.stderr.write('\r\u001b[K')
    const line = format === 'json' ? JSON.stringify({ time: new Date(), ...report }) : textOf(report)
    stdout.write(`${mask(line)}\n`)
  }

  /** How far long work inside a step is. */
  progress(label: string, done: number, total: number): void {
    this.inner(label, done, total)
  }
}

/** `migrate  20261121-initial (43 ms)`, with what was logged below. */
function textOf({ step, state, message, durationMs, error, log }: StepReport): string {
  const time = durationMs === undefined ? '' : ` (${durationMs} ms)`
  const failed = state === 'failed' ? ` failed: ${String(error)}` : ''
  const lines = Array.isArray(log) ? log.map((entry) => `\n${' '.repeat(9)}${String(entry)}`) : []
  return `${step.padEnd(8)} ${message}${time}${failed}${lines.join('')}`
}

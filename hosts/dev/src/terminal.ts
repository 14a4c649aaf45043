const erase = '\r\u001b[K'

/** Writes lasting lines and, below them where the output is a terminal, one that tells what is under way. */
export class Terminal {
  /** True on a terminal, unless NO_COLOR is set. */
  readonly colours: boolean
  private isGone = false
  private readonly running = new Map<string, number>()
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly output: NodeJS.WritableStream & { isTTY?: boolean; columns?: number } = process.stdout,
  ) {
    // The reader is gone. Every further write would fail the same way.
    output.on('error', () => (this.isGone = true))
    this.colours = output.isTTY === true && !process.env.NO_COLOR
  }

  line(text = ''): void {
    this.write(`${this.running.size && this.output.isTTY ? erase : ''}${text}\n`)
    this.showRunning()
  }

  /** Does a step and prints its duration, ticked when it succeeded; `detail` tells what came out. */
  async step<T>(name: string, work: () => Promise<T>, detail: (result: T) => string = () => ''): Promise<T> {
    const began = Date.now()
    this.running.set(name, began)
    this.timer ??= this.output.isTTY ? setInterval(() => this.showRunning(), 1000) : undefined
    this.showRunning()
    const ended = (text: string) => {
      if (!this.running.delete(name)) return
      if (this.running.size === 0) this.stopShowing()
      this.line(`${text} ${this.dim(`(${seconds(Date.now() - began)})`)}`)
    }
    try {
      const result = await work()
      ended(`${this.paint('✓', '32')} ${[name, detail(result)].filter(Boolean).join(': ')}`)
      return result
    } catch (error) {
      ended(`${this.paint('✗', '31')} ${name}`)
      throw error
    }
  }

  /** Steps that are under way end without a line from now on: nobody waits for them any more. */
  abandonSteps(): void {
    this.running.clear()
    this.stopShowing()
  }

  dim(text: string): string {
    return this.paint(text, '90')
  }

  bold(text: string): string {
    return this.paint(text, '1')
  }

  /** Text in an ANSI colour, when colours are wanted. */
  paint(text: string, code: string): string {
    return this.colours ? `\u001b[${code}m${text}\u001b[0m` : text
  }

  private write(text: string): void {
    if (!this.isGone) this.output.write(text)
  }

  private stopShowing(): void {
    clearInterval(this.timer)
    this.timer = undefined
    if (this.output.isTTY) this.write(erase)
  }

  private showRunning(): void {
    if (!this.output.isTTY || this.running.size === 0) return
    const longest = Math.max(...[...this.running.values()].map((began) => Date.now() - began))
    const text = `… ${[...this.running.keys()].join(', ')}${longest > 2000 ? ` ${Math.round(longest / 1000)} s` : ''}`
    this.write(`${erase}${this.dim(text.slice(0, (this.output.columns || 80) - 1))}`)
  }
}

/** A duration in the way people say it. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

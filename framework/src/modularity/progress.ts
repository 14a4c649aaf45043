/** Told how far long work is: what is done, of how much. */
export type Progress = (label: string, done: number, total: number) => void

/** Shows how far long work is: a bar on a terminal, elsewhere a line for every tenth. */
export function showProgress(
  output: NodeJS.WritableStream & { isTTY?: boolean },
  log: (message: string) => void,
): Progress {
  return output.isTTY ? progressBar((text) => output.write(text)) : progressLines(log)
}

const width = 40

/** A bar that is drawn over the one before; its line ends when the work is done. */
export function progressBar(write: (text: string) => void): Progress {
  return (label, done, total) => {
    const share = shareOf(done, total)
    const filled = Math.floor(share * width)
    const percent = `${Math.floor(share * 100)}`.padStart(3)
    write(
      `\r\u001b[K${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${percent} % ${label} ${count(done)} of ${count(total)}`,
    )
    if (done >= total) write('\n')
  }
}

/** A line for every tenth. */
export function progressLines(log: (message: string) => void): Progress {
  const told = new Map<string, number>()
  return (label, done, total) => {
    const tenth = Math.floor(shareOf(done, total) * 10)
    if (tenth <= (told.get(label) ?? 0)) return
    told.set(label, tenth)
    log(`${label}: ${tenth * 10} %, ${count(done)} of ${count(total)}`)
  }
}

const shareOf = (done: number, total: number): number => (total > 0 ? Math.min(done / total, 1) : 1)
const count = (value: number): string => value.toLocaleString('en')

import type { Telemetry } from '../telemetry/telemetry.js'
import type { BackgroundJobs } from './background-jobs.js'

/** How an attempt at a job ended. */
export type JobOutcome = 'completed' | 'postponed' | 'failed' | 'given up' | 'cancelled' | 'interrupted'

/** Measures the queue of jobs, and what this process works on. */
export class JobMetrics {
  private readonly started
  private readonly durations

  constructor({ meter }: Telemetry, jobs: BackgroundJobs) {
    this.started = meter.createCounter('keel.jobs.started', {
      description: 'Attempts at jobs that this process began.',
    })
    this.durations = meter.createHistogram('keel.jobs.duration', {
      unit: 's',
      description: 'Duration of attempts at jobs by their outcome.',
      advice: { explicitBucketBoundaries: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800] },
    })
    const count = meter.createObservableGauge('keel.jobs.count', {
      description: 'Jobs in the queue that wait, run or were given up.',
    })
    const overdue = meter.createObservableGauge('keel.jobs.overdue', {
      unit: 's',
      description: 'For how long the job that is due for the longest time has waited.',
    })
    meter.addBatchObservableCallback(
      async (result) => {
        // Without the database these metrics are missing; all others are reported.
        const counts = await jobs.counts().catch(() => undefined)
        if (!counts) return
        for (const state of ['waiting', 'running', 'abandoned'] as const)
          result.observe(count, counts[state], { 'keel.job.state': state })
        result.observe(overdue, counts.overdueSeconds ?? 0)
      },
      [count, overdue],
    )
  }

  /** An attempt begins. The answer is called when it is over. */
  begin(name: string): (outcome: JobOutcome) => void {
    const before = performance.now()
    this.started.add(1, { 'keel.job.name': name })
    return (outcome) =>
      this.durations.record((performance.now() - before) / 1000, {
        'keel.job.name': name,
        'keel.job.outcome': outcome,
      })
  }
}

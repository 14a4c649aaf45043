import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Meter } from '@opentelemetry/api'

/** Memory, CPU time and the event loop of this process, under the names of OpenTelemetry's semantic conventions. */
export function observeProcess(meter: Meter): void {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  meter
    .createObservableGauge('process.memory.usage', { unit: 'By', description: 'Resident memory.' })
    .addCallback((result) => result.observe(process.memoryUsage.rss()))
  meter
    .createObservableCounter('process.cpu.time', { unit: 's', description: 'CPU time used.' })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage()
      result.observe(user / 1e6, { 'cpu.mode': 'user' })
      result.observe(system / 1e6, { 'cpu.mode': 'system' })
    })
  meter
    .createObservableGauge('nodejs.eventloop.delay.p99', {
      unit: 's',
      description: 'How late the event loop was, 99th percentile since the last look.',
    })
    .addCallback((result) => {
      result.observe(delay.percentile(99) / 1e9)
      delay.reset()
    })
}

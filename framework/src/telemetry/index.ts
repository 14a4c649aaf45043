export { type MetricsText, Telemetry } from './telemetry.js'
export { TelemetryModule } from './telemetry.module.js'

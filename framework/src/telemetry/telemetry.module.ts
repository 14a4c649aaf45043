import type { ModuleContext } from '../modularity/application.js'
import { loadDriver } from '../modularity/drivers.js'
import { KeelModule, Module } from '../modularity/module.js'
import { Telemetry } from './telemetry.js'
import { askingForTelemetry, telemetryOptions } from './telemetry-options.js'

/** The packages that `sdk.ts` imports. */
const packages = [
  '@opentelemetry/exporter-metrics-otlp-http',
  '@opentelemetry/exporter-prometheus',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/sdk-trace-base',
]

/**
 * Gives a host OpenTelemetry's traces and metrics when the environment asks for them (`OTEL_*`). Without that nothing of OpenTelemetry's
 * SDK is loaded.
 */
@Module({ name: 'Telemetry' })
export class TelemetryModule extends KeelModule {
  override async preConfigureServices({ application }: ModuleContext): Promise<void> {
    const options = telemetryOptions(application.configuration, application.name)
    if (!options) return
    const setting = askingForTelemetry(application.configuration)
    const { startSdk } = await loadDriver(
      application.configuration,
      setting,
      packages,
      () => import('./sdk.js'),
    )
    application.provide(Telemetry, startSdk(options))
  }

  override async onApplicationShutdown({ application }: ModuleContext): Promise<void> {
    await application.find(Telemetry)?.stop()
  }
}

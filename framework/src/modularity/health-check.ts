/** How something that a host leans on is doing. */
export interface HealthState {
  /** `Degraded`: the host works, worse than it should. `Unhealthy`: it can't do its work. */
  readonly status: 'Healthy' | 'Degraded' | 'Unhealthy'
  /** The fault and its consequence. Without secrets: every caller may read it. */
  readonly description?: string
}

/**
 * Looks after one thing for the health checks of a host. Modules add theirs to `application.healthChecks`.
 */
export interface HealthCheck {
  readonly name: string
  /** Answers soon; what it throws counts as Unhealthy. */
  check(): Promise<HealthState>
}

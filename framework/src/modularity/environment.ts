/**
 * The environment that `KEEL_ENVIRONMENT`, `ASPNETCORE_ENVIRONMENT` or `DOTNET_ENVIRONMENT` names, in this
 * order. Where none does it is Production, as in ASP.NET: a forgotten variable gives nobody a published
 * password. Empty variables name nothing.
 */
export function environmentOf(env: NodeJS.ProcessEnv, unnamed = 'Production'): string {
  return env.KEEL_ENVIRONMENT || env.ASPNETCORE_ENVIRONMENT || env.DOTNET_ENVIRONMENT || unnamed
}

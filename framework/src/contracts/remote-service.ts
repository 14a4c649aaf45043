/** Where the services of a module are found: the remote service name (`RemoteServices:<name>:BaseUrl`) and the root of its routes. */
export interface RemoteService {
  readonly name: string
  /** `hub` for `/api/hub/…`. */
  readonly rootPath: string
  /** The .NET namespace of its types in the API definition, where they are ABP's own; ours when not given. */
  readonly clrNamespace?: string
  /** The module's name in the API definition (`abp generate-proxy --module …`), where it is not `rootPath`: ABP's areas are in camel case. */
  readonly moduleName?: string
  /** What documents call the module for people, where that cannot be told from the name. */
  readonly title?: string
}

/** Declares a remote service. @example export const Hub = remoteService('Hub', 'hub') */
export function remoteService(
  name: string,
  rootPath: string,
  clrNamespace?: string,
  moduleName?: string,
  title?: string,
): RemoteService {
  return {
    name,
    rootPath,
    ...(clrNamespace !== undefined && { clrNamespace }),
    ...(moduleName !== undefined && { moduleName }),
    ...(title !== undefined && { title }),
  }
}

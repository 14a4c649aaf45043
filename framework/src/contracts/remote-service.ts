/** The remote service name of a module (`RemoteServices:<name>:BaseUrl`) and the root of its routes. */
export interface RemoteService {
  readonly name: string
  /** `hub` for `/api/hub/…`. */
  readonly rootPath: string
  /** The .NET namespace of its types in the API definition, where they are ABP's own; ours when not given. */
  readonly clrNamespace?: string
  /**
   * The module's name in the API definition (`abp generate-proxy --module …`), where it is not `rootPath`:
   * ABP's areas are in camel case.
   */
  readonly moduleName?: string
  /** The title of the module in documents, where its name does not give one. */
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

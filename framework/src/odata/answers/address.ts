import type { ODataRequest } from './odata-answer.js'

/**
 * The part of an address behind the root. The address may be relative to the root, an absolute path, or
 * whole. The root may be the public one or the one that the caller reached. Undefined for addresses outside
 * of the service.
 */
export function pathBelow(
  roots: Pick<ODataRequest, 'root' | 'reachedAt'>,
  address: string,
): string | undefined {
  const isPath = address.startsWith('/')
  if (!isPath && !/^[a-z][a-z\d+.-]*:/i.test(address)) return `/${address}`
  const known = [roots.root, roots.reachedAt].map((root) => (isPath ? pathOf(root) : root))
  const root = known.find((one) => address.toLowerCase().startsWith(one.toLowerCase()))
  return root && address.slice(root.length - 1)
}

function pathOf(root: string): string {
  return root.replace(/^[a-z]+:\/\/[^/]*/i, '')
}

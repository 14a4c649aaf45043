// Loaded into a host with --import: the packages of KEEL_TEST_HIDDEN_PACKAGES, separated by commas, are not found, as if they were not installed.
import Module, { register } from 'node:module'

const names = (process.env.KEEL_TEST_HIDDEN_PACKAGES ?? '').split(',')
const hidden = JSON.stringify(names)
const hooks = `export function resolve(specifier, context, next) {
  const isHidden = ${hidden}.some((name) => specifier === name || specifier.startsWith(name + '/'))
  return next(specifier, isHidden ? { ...context, parentURL: 'file:///nowhere/index.js' } : context)
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)

// Bundles load them by require.
const { _resolveFilename: resolveFilename } = Module
Module._resolveFilename = function (request, ...rest) {
  if (names.some((name) => request === name || request.startsWith(`${name}/`)))
    throw Object.assign(new Error(`Cannot find module '${request}'`), { code: 'MODULE_NOT_FOUND' })
  return resolveFilename.call(this, request, ...rest)
}

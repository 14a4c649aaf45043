// Loaded into a host with --import: the packages of KEEL_TEST_HIDDEN_PACKAGES, separated by commas, are not found, as if they were not installed.
import { register } from 'node:module'

const hidden = JSON.stringify((process.env.KEEL_TEST_HIDDEN_PACKAGES ?? '').split(','))
const hooks = `export function resolve(specifier, context, next) {
  const isHidden = ${hidden}.some((name) => specifier === name || specifier.startsWith(name + '/'))
  return next(specifier, isHidden ? { ...context, parentURL: 'file:///nowhere/index.js' } : context)
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)

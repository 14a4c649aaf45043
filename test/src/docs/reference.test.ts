import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const packages = [
  'framework',
  ...readdirSync(join(root, 'modules')).map((name) => `modules/${name}`),
  ...readdirSync(join(root, 'proxies')).map((name) => `proxies/${name}`),
].filter((folder) => existsSync(join(root, folder, 'package.json')))

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

/** The declarations of what a package exports, one file for each entry of `exports`. */
function doorsOf(folder: string): string[] {
  const { exports = {} } = json(join(root, folder, 'package.json')) as {
    exports?: Record<string, { types?: string }>
  }
  return Object.values(exports).flatMap(({ types }) => (types ? [join(root, folder, types)] : []))
}

/** Names that a package uses in its declarations and keeps to itself, of its options for TypeDoc. */
function keptNames(folder: string): string[] {
  const path = join(root, folder, 'typedoc.json')
  return existsSync(path) ? (json(path).intentionallyNotExported ?? []) : []
}

// The rules of `npm run docs`, in seconds instead of minutes: TypeDoc checks the types of everything first.
test('what a package exports is documented, and its declarations name nothing that it keeps to itself', () => {
  const doors = packages.flatMap(doorsOf)
  expect(doors.length).toBeGreaterThan(packages.length)
  const program = ts.createProgram(doors, {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    noLib: true,
    types: [],
  })
  const checker = program.getTypeChecker()
  const meant = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

  const faults = packages.flatMap((folder) => {
    const exported = new Set(
      doorsOf(folder).flatMap((door) => {
        const module = checker.getSymbolAtLocation(program.getSourceFile(door) as ts.SourceFile)
        return module ? checker.getExportsOfModule(module).map(meant) : []
      }),
    )
    const kept = new Set(keptNames(folder))
    const own = join(root, folder, 'dist/')
    const isOwn = (node: ts.Node): boolean => node.getSourceFile().fileName.startsWith(own)
    const told = new Set<string>()
    for (const symbol of exported) {
      const declarations = (symbol.declarations ?? []).filter(isOwn)
      const place = relative(root, declarations[0]?.getSourceFile().fileName ?? '')
      if (declarations.some(needsText) && !declarations.some(hasText))
        told.add(`${place}: ${symbol.name} has no docstring`)
      for (const declaration of declarations)
        forEachNamed(declaration, (name) => {
          const symbol = checker.getSymbolAtLocation(name)
          const named = symbol && meant(symbol)
          if (!named || exported.has(named) || kept.has(named.name)) return
          if (named.flags & ts.SymbolFlags.TypeParameter || !named.declarations?.some(isOwn)) return
          told.add(`${place}: ${named.name} is named and not exported`)
        })
    }
    return [...told]
  })
  expect(faults).toEqual([])
})

/** The kinds that `requiredToBeDocumented` in typedoc.json has. */
function needsText(node: ts.Declaration): boolean {
  return (
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    ts.isVariableDeclaration(node)
  )
}

function hasText(node: ts.Declaration): boolean {
  const documented = ts.isVariableDeclaration(node) ? node.parent.parent : node
  return ts.getJSDocCommentsAndTags(documented).length > 0
}

/** The names of types, and of what `typeof` asks the type of, in a declaration. */
function forEachNamed(node: ts.Node, visit: (name: ts.EntityName) => void): void {
  if (isPrivate(node)) return
  if (ts.isTypeReferenceNode(node)) visit(node.typeName)
  else if (ts.isTypeQueryNode(node)) visit(leftmost(node.exprName))
  ts.forEachChild(node, (child) => forEachNamed(child, visit))
}

function leftmost(name: ts.EntityName): ts.Identifier {
  return ts.isIdentifier(name) ? name : leftmost(name.left)
}

function isPrivate(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) ?? false)
  )
}

import { say } from '../syntax/odata-error.js'
import type { Expression } from '../syntax/syntax.js'
import { Binder, nullLiteral } from './binder.js'
import type { Bound, Scope } from './expression-scope.js'
import { bindCall } from './function-binder.js'
import { bindBinary, bindUnary } from './operator-binder.js'
import { bindPath } from './path-expression-binder.js'

/** Gives expressions their meaning. */
export class ExpressionBinder extends Binder {
  private readonly open = new Set<string>()

  bind(expression: Expression, scope: Scope): Bound {
    switch (expression.kind) {
      case 'literal':
        return { kind: 'literal', literal: expression }
      case 'alias':
        return this.alias(expression.name, expression, scope)
      case 'path':
        return bindPath(this, expression, scope)
      case 'call':
        return { kind: 'value', value: bindCall(this, expression, scope) }
      case 'unary':
        return { kind: 'value', value: bindUnary(this, expression, scope) }
      case 'binary':
        return { kind: 'value', value: bindBinary(this, expression, scope) }
      case 'list':
      case 'object':
        return this.unsupported('StructuredValues', expression)
    }
  }

  private alias(name: string, place: { readonly at: number }, scope: Scope): Bound {
    const found = this.context.aliases.get(name)
    if (!found) return { kind: 'literal', literal: nullLiteral(place) }
    if (this.open.has(name)) this.refuse(say`The alias '@${name}' refers to itself.`, place)
    this.open.add(name)
    try {
      return this.bind(found, scope)
    } finally {
      this.open.delete(name)
    }
  }
}

import type { EntityMeta } from '../entities/entity.js'
import type { CallerRules } from '../entities/row-rules.js'
import { readsRows, type Sql } from '../wire/sql.js'
import type { Statement } from '../wire/statement.js'
import { LateValue, type RunValues, runValue, VisibleRows } from './late-values.js'
import { decidesPlan, type StatementShape, statementShapes } from './statement-shapes.js'

/** A statement ready for one run. */
export interface ReadyStatement extends Statement {
  readonly shape: StatementShape
  /** True when a condition of a row rule looks at other rows than those it is about. */
  readonly looksElsewhere: boolean
}

/** The conditions of a caller on the rows that a statement reads, in the order of their places. */
type Conditions = readonly (readonly Sql[])[]

/** The text that a template has with certain conditions. */
interface Form {
  readonly conditions: Conditions
  readonly shape: StatementShape
  readonly looksElsewhere: boolean
}

/** Callers differ in their conditions, but in few ways. */
const mostForms = 4

/**
 * A statement that is run again and again: what is the same in every run is put together once. Where one of the values
 * decides the plan the statement is sent without a name.
 */
export class PlannedStatement {
  /** The entities whose rows it reads; undefined when values of the moment decide which. */
  readonly entities: readonly EntityMeta[] | undefined
  private readonly places: readonly VisibleRows[]
  private forms: Form[] = []

  constructor(private readonly template: Sql) {
    this.places = template.values.filter((value) => value instanceof VisibleRows)
    const isTimeless = !template.values.some((value) => value instanceof LateValue)
    this.entities = isTimeless ? [...new Set(this.places.map(({ entity }) => entity))] : undefined
  }

  /** The statement for the caller at hand; a promise only where a row rule has to find out about them first. */
  ready(rules: CallerRules, run: RunValues): ReadyStatement | Promise<ReadyStatement> {
    const conditions = this.places.map(({ entity, alias }) => rules.conditionsFor(entity, alias))
    return conditions.every(isKnown)
      ? this.with(conditions, run)
      : Promise.all(conditions).then((known) => this.with(known, run))
  }

  private with(conditions: Conditions, run: RunValues): ReadyStatement {
    const { shape, looksElsewhere } = this.formOf(conditions)
    const values = this.values(conditions, run)
    const { text, name } = shape
    const isNamed = shape.isOften() && !values.some(decidesPlan)
    return isNamed ? { text, values, name, shape, looksElsewhere } : { text, values, shape, looksElsewhere }
  }

  private formOf(conditions: Conditions): Form {
    const known = this.forms.find((form) => sameTexts(form.conditions, conditions))
    if (known) return known
    const form = {
      conditions,
      shape: statementShapes.of(this.text(conditions)),
      looksElsewhere: conditions.flat().some(readsRows),
    }
    this.forms = [form, ...this.forms].slice(0, mostForms)
    return form
  }

  private text(conditions: Conditions): string {
    const { texts, values } = this.template
    let text = texts[0] ?? ''
    let parameters = 0
    let place = 0
    for (const [index, value] of values.entries()) {
      if (value instanceof VisibleRows) {
        const own = conditions[place++] ?? []
        text += own.length ? own.map(numbered).join(' and ') : 'true'
      } else text += `$${++parameters}`
      text += texts[index + 1] ?? ''
    }
    return text

    function numbered(condition: Sql): string {
      return condition.texts.reduce(
        (all, next, index) => (index === 0 ? next : `${all}$${++parameters}${next}`),
        '',
      )
    }
  }

  private values(conditions: Conditions, run: RunValues): unknown[] {
    const found: unknown[] = []
    let place = 0
    for (const value of this.template.values)
      if (value instanceof VisibleRows) {
        for (const { values } of conditions[place++] ?? []) found.push(...values)
      } else found.push(runValue(value, run))
    return found
  }
}

function isKnown(conditions: Sql[] | Promise<Sql[]>): conditions is Sql[] {
  return !(conditions instanceof Promise)
}

function sameTexts(some: Conditions, others: Conditions): boolean {
  return some.every((own, index) => {
    const other = others[index] ?? []
    return (
      own === other || (own.length === other.length && own.every((one, at) => isSameText(one, other[at])))
    )
  })
}

function isSameText({ texts }: Sql, other: Sql | undefined): boolean {
  return (
    other !== undefined &&
    texts.length === other.texts.length &&
    texts.every((text, index) => text === other.texts[index])
  )
}

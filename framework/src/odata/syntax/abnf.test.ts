import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ODataError } from './odata-error.js'
import { parseQueryOptions } from './parse-options.js'
import { parseResourcePath } from './parse-path.js'
import { queryPairs } from './url.js'

/**
 * A folder with the test cases of https://github.com/oasis-tcs/odata-abnf as JSON, whose licence is not one under which they could stand
 * here: `npx yaml --json --single <abnf/odata-abnf-testcases.yaml >odata-abnf-testcases.json`, and the same of `odata-aggregation-testcases`.
 */
const folder = process.env['KEEL_ODATA_ABNF'] ?? ''

/** What is read as which rule of the grammar; rules that are not here are no requests: answers, headers, values of payloads. */
const readers: Readonly<Record<string, (text: string) => void>> = {
  ...readAs(
    (text) => {
      const [path = '', ...query] = text.split('?')
      parseResourcePath(path)
      // What `$entity` leads to is found before its options are read.
      parseQueryOptions(
        queryPairs(
          path.startsWith('$entity') ? query.join('?').replace(/\$?id=[^&]*&?/, '') : query.join('?'),
        ),
      )
    },
    ['odataRelativeUri', 'resourcePath'],
  ),
  ...readAs(
    (text) => parseQueryOptions(queryPairs(text)),
    `queryOptions systemQueryOption customQueryOption filter orderby orderBy expand select compute search deltatoken skiptoken`.split(
      ' ',
    ),
  ),
  ...readAs(
    (text) => parseQueryOptions(queryPairs(`$filter=${text.replaceAll('&', '%26')}`)),
    `commonExpr boolCommonExpr boolcommonExpr firstMemberExpr propertyPathExpr notExpr isofExpr primitiveLiteral null boolean guid date
    binaryLiteral dateTimeOffsetLiteral decimalLiteral doubleLiteral singleLiteral sbyteLiteral int16Literal int32Literal int64Literal
    stringLiteral timeOfDayLiteral durationLiteral enumLiteral`.split(/\s+/),
  ),
  ...readAs((text) => parseQueryOptions(queryPairs(`$filter=Items/${text}`)), ['anyExpr']),
  ...readAs((text) => parseQueryOptions(queryPairs(`$search=${text}`)), ['searchExpr']),
}

function readAs(
  read: (text: string) => void,
  rules: readonly string[],
): Record<string, (text: string) => void> {
  return Object.fromEntries(rules.map((rule) => [rule, read]))
}

/** Whether a text is read, or known as something that is not done; undefined for rules of no request. */
function isUnderstood(rule: string, text: string): boolean | undefined {
  // The cases have blanks and quotes where a client would encode them.
  const encoded = text.replace(/[^\x21-\x7e]|#/gu, encodeURIComponent)
  try {
    const read = Object.hasOwn(readers, rule) ? readers[rule] : undefined
    if (!read) return undefined
    read(encoded)
    return true
  } catch (error) {
    if (error instanceof ODataError) return error.httpStatus === 501
    throw error
  }
}

/** By rule what must be understood, and what must not. */
const cases: Readonly<Record<string, readonly [understood: readonly string[], refused: readonly string[]]>> =
  {
    resourcePath: [
      [
        'Ports',
        "Ports('DE')",
        'Ports(Code=%27DE%27,Part=2)',
        'Ports/DE',
        'Ports(1)/Country/Name/$value',
        'Ports(1)/Ns.Seaport/Depth',
        'Ports/Ns.Seaport(1)',
        'Ports/$count',
        'Ports(1)/Terminals/$ref',
        'Ports/$filter(IsOpen)/$count',
        'Ports/$filter(@open)/$each',
        'Ports/Ns.Nearest(To=@p)',
        'Ports/Ns.Busiest()/Name',
        'Busiest()',
        'Nearest(To=1)(2)',
        '$crossjoin(Ports,Countries)',
        '$all/Ns.Port',
      ],
      ["Ports('DE'", 'Ports(1;2)', 'Ports(Code=)', 'Ports/$nothing', 'Ports(1,2)'],
    ],
    odataRelativeUri: [
      [
        'Ports?$top=1&$skip=2',
        '$entity?$id=Ports(1)',
        '$entity/Ns.Port?$id=Ports(1)&$select=Name',
        'Ports(@k)?@k=1',
      ],
      ['Ports?$top=x', 'Ports?$none=1', 'Ports?@1=2'],
    ],
    filter: [
      ['$filter=IsOpen', 'filter=IsOpen eq true', '$FILTER=not IsOpen', '$filter=Name in [%22a%22,Code]'],
      ['$filter=', '$filter=Name eq', '$filter=Name is 1', '$filter=(Name eq 1', '$filter=Name in 1,2)'],
    ],
    orderby: [
      ['$orderby=Name', '$orderby=Name desc,length(Name) asc'],
      ['$orderby=Name up', '$orderby=,'],
    ],
    expand: [
      [
        '$expand=*',
        '$expand=*/$ref',
        '$expand=Country',
        '$expand=Country/$ref($filter=IsOpen)',
        '$expand=Terminals/$count($search=a)',
        '$expand=Terminals($filter=IsOpen;$orderby=Name;$top=1;$skip=1;$count=true;$search=x;$levels=2;$expand=Quays)',
        '$expand=Ns.Seaport/Quays',
        '$expand=Address/*',
        '$expand=$value',
        '$expand=@Ns.Term',
        '$expand=Terminals(@a=$this;$filter=@a/Name eq Name)',
      ],
      [
        '$expand=',
        '$expand=Country(',
        '$expand=Country/$ref($levels=1)',
        '$expand=Terminals($levels=0)',
        '$expand=Terminals/$value',
      ],
    ],
    select: [
      [
        '$select=*',
        '$select=Name,Address/City',
        '$select=Ns.Seaport/Depth',
        '$select=Tags($top=1)',
        '$select=Ns.*',
        '$select=Best(Of,In)',
        '$select=@Ns.T',
      ],
      ['$select=', '$select=Name,', '$select=Name/$ref', '$select=Tags($expand=A)'],
    ],
    compute: [['$compute=A add 1 as B,case(A gt 0:1,true:0) as C'], ['$compute=A', '$compute=A as 1']],
    search: [
      ['$search=a b', '$search="a b" OR NOT c', '$search=(a AND b)', '$search=AND', "$search='\"a'"],
      ['$search=', '$search="a', '$search=(a', '$search=""'],
    ],
    systemQueryOption: [
      ['$schemaversion=*', '$index=-1', '$count=false', '$levels=1'.replace('$levels', 'levels')],
      ['$index=one', '$count=1'],
    ],
    commonExpr: [
      [
        'A add 2 mul -B',
        "concat(A,'x')",
        '(A)',
        'A/B/$count($filter=C)',
        'A/$filter(B)/$count',
        'A/any(x:x/B eq $it/C)',
        '$root/Ports(1)/Name',
        '$these/aggregate($count)',
        'A/aggregate(B with sum from C with max)',
        'Ns.Best(Of=A,In=[1,B])',
        'A/Ns.Best()/B',
        'cast(A,Edm.Int64)',
        'isof(Ns.T)',
        '@p/A',
        'A/@Ns.Term',
        '{"A":B,"C":[]}',
        '[A,{"B":1},"x",\'y\']',
        'geo.length(A)',
        "geography'SRID=0;Point(1 2)'",
      ],
      ['', 'A add', '[A', '[,]', '{"A"}', '{A:1}', 'A/all()', 'A/', '$those', 'any(', "'a"],
    ],
    anyExpr: [
      ['any()', 'any( x : true )'],
      ['any(x)', 'any(:true)', 'any(x:)'],
    ],
    primitiveLiteral: [
      [
        'null',
        'true',
        '-1',
        '%2B1.5e3',
        "'it''s'",
        '2024-02-29',
        '23:59:59.5',
        '2024-02-29T23:59:59%2B01:00',
        "duration'PT1H'",
        "binary'QQ'",
        "Ns.E'A,B'",
        'INF',
        'NaN',
      ],
      ['.1', '1.', '1e', '0time', "X'00'", '2011-12-31T24:00Z'],
    ],
    queryOptions: [
      [
        '$apply=identity',
        '$apply=filter(A)/search(b)/compute(A as B)/orderby(A desc)/skip(1)/top(2)',
        '$apply=groupby((A,B/C,rollup(D,E),rollup($all,F)),aggregate(G with sum as H,$count as I))',
        '$apply=aggregate(A from B,C/D with max as E)',
        '$apply=groupby((rolluprecursive($root/A,H,I)))',
        '$apply=concat(topcount(1,A),bottompercent(5,B))',
        '$apply=nest(identity as A)',
        '$apply=join(A as B,filter(C))',
        '$apply=ancestors($root/A,H,I,filter(B),keep start)',
        '$apply=Ns.Best(Of=2)',
        '$filter=isdefined(A)',
      ],
      [
        '$apply=',
        '$apply=sum(A)',
        '$apply=groupby(A)',
        '$apply=aggregate()',
        '$apply=concat(identity)',
        '$apply=filter(A',
      ],
    ],
  }

describe.each(Object.entries(cases))('the rule %s', (rule, [understood, refused]) => {
  test.each(understood.map((text) => [text]))('reads %s', (text) => {
    expect(isUnderstood(rule, text)).toBe(true)
  })
  if (refused.length)
    test.each(refused.map((text) => [text]))('refuses %s', (text) => {
      expect(isUnderstood(rule, text)).toBe(false)
    })
})

interface Case {
  readonly Rule: string
  readonly Input: unknown
  /** Of what is no OData. */
  readonly FailAt?: number
}

/** What no server can get, or what the standard forbids elsewhere: fragments, and an option that is there twice. */
const forbidden = /^\$metadata#|^[^?]*\$format=.*\$format=/i

describe.skipIf(!folder)('the test cases of OASIS', () => {
  test.each(['odata-abnf-testcases.json', 'odata-aggregation-testcases.json'])(
    'of %s are understood, at least 97 of a hundred requests',
    (name) => {
      const { TestCases } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
        TestCases: readonly Case[]
      }
      const requests = TestCases.filter(({ Rule, Input, FailAt }) => {
        const text = String(Input)
        return FailAt === undefined && Object.hasOwn(readers, Rule) && !forbidden.test(text)
      })
      const missed = requests.filter(({ Rule, Input }) => !isUnderstood(Rule, String(Input)))
      expect(requests.length).toBeGreaterThan(150)
      expect(missed.map(({ Input }) => Input).slice(0, requests.length * 0.03)).toEqual(
        missed.map(({ Input }) => Input),
      )
    },
  )
})

import { expect, test } from 'vitest'
import { z } from 'zod'
import { Dto, dtoOf, EntityDto, fieldsOf, InputOf, isDto, listOf } from './dto.js'
import { facetedPageOf, genericOf, pageOf } from './paging.js'

class PortDto extends EntityDto({
  code: z.string().length(5),
  name: z.string().nullish(),
  countryCode: z.string(),
}) {}

test('a DTO is a class whose instances carry its values', () => {
  class PointDto extends Dto({ x: z.number(), y: z.number() }) {}
  expect({ ...new PointDto({ x: 1, y: 2 }) }).toEqual({ x: 1, y: 2 })
})

test('the schema of a DTO drops what it does not declare', () => {
  class NameDto extends Dto({ name: z.string() }) {}
  expect(NameDto.schema.parse({ name: 'A', more: 1 })).toEqual({ name: 'A' })
})

test('the schema of a DTO is made once and knows its class', () => {
  expect(PortDto.schema).toBe(PortDto.schema)
  expect(dtoOf(PortDto.schema)).toBe(PortDto)
})

test('a schema of another origin belongs to no DTO', () => {
  expect(dtoOf(z.object({}))).toBeUndefined()
})

test('an input has the fields of its DTO without the identifier and those that only the server writes', () => {
  class PortInput extends InputOf(PortDto, 'countryCode') {}
  expect(Object.keys(PortInput.shape)).toEqual(['code', 'name'])
})

test('only classes made by Dto are DTOs', () => {
  expect([PortDto, class {}, {}, undefined, z.string()].map(isDto)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
})

test('the fields of a DTO come in order', () => {
  expect(fieldsOf(PortDto).map(([name]) => name)).toEqual(['id', 'code', 'name', 'countryCode'])
})

test('a list of DTOs refuses every faulty member at its place', () => {
  const { error } = listOf(PortDto).safeParse([{ id: 'x', code: 'NLRTM', countryCode: 'NL' }])
  expect(error?.issues.map(({ path }) => path)).toEqual([[0, 'id']])
})

test('the page class of a DTO is one however often it is asked for, and named after it', () => {
  const page = pageOf(PortDto)
  expect(pageOf(PortDto)).toBe(page)
  expect(page.name).toBe('PagedResultDtoOfPortDto')
  expect(genericOf(page)).toEqual({ definition: 'PagedResultDto', argument: PortDto })
  expect(facetedPageOf(PortDto).name).toBe('PagedResultWithFiltersDtoOfPortDto')
})

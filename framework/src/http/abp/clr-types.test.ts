import { expect, test } from 'vitest'
import {
  AppService,
  calendarDate,
  crud,
  Dto,
  decimal,
  EntityDto,
  enumeration,
  enumerationName,
  FilteredPagedInput,
  facetedPageOf,
  guid,
  instant,
  op,
  PagedInput,
  pascalCase,
  remoteService,
  z,
} from '../../contracts/index.js'
import { memberName, uniqueName } from './api-definition.js'
import { ClrTypes, plural } from './clr-types.js'

enum Colour {
  Red = 0,
  Green = 5,
}
enum BookColour {
  Blue = 1,
}
class AuthorDto extends EntityDto({ name: z.string(), colour: enumeration('Colour', Colour) }) {}
class CreateBookDto extends Dto({ colour: enumeration('BookColour', BookColour) }) {}
class BookDto extends EntityDto({ author: AuthorDto.schema.nullish() }) {}
class PublisherDto extends Dto({ name: z.string() }) {}
class BookEditionDto extends Dto({ publisher: PublisherDto.schema }) {}

const Library = remoteService('Library', 'library-shelf')
const Archive = remoteService('Archive', 'archive')
const Default = remoteService('Default', 'app')
abstract class BookAppService extends AppService(Library, 'BookAppService', crud(BookDto, CreateBookDto)) {}
abstract class BookEditionAppService extends AppService(Library, 'BookEditionAppService', {
  getList: op(PagedInput).returns(facetedPageOf(BookEditionDto)),
}) {}
abstract class ShelfAppService extends AppService(Archive, 'ShelfAppService', {
  get: op().returns(PublisherDto),
}) {}
abstract class LegacyBookAppService extends AppService(Default, 'LegacyBookAppService', {
  getAll: op().returns(BookDto),
}) {}
const types = new ClrTypes([BookAppService, BookEditionAppService, ShelfAppService, LegacyBookAppService])
const colour = enumeration('Colour', Colour)

test('a contract is in the namespace of its module and its feature', () => {
  expect(
    [BookAppService, BookEditionAppService, LegacyBookAppService].map((one) => types.namespaceOf(one)),
  ).toEqual(['Keel.LibraryShelf.Books', 'Keel.LibraryShelf.BookEditions', 'Keel.App.LegacyBooks'])
})

test('a DTO and an enumeration are in the feature whose name they carry, else in the module', () => {
  expect([...types.dtos.keys(), ...types.enumerations.keys()].sort()).toEqual([
    'Keel.Application.AppliedFilters.AppliedFilterDto',
    'Keel.Application.FacetValues.FacetValueDto',
    'Keel.Application.Facets.FacetDto',
    'Keel.Application.FilteredPagedInputs.FilteredPagedInput',
    // Used by two modules.
    'Keel.Application.Publishers.PublisherDto',
    'Keel.LibraryShelf.AuthorDto',
    'Keel.LibraryShelf.BookEditions.BookEditionDto',
    'Keel.LibraryShelf.Books.BookColour',
    'Keel.LibraryShelf.Books.BookDto',
    'Keel.LibraryShelf.Books.CreateBookDto',
    'Keel.LibraryShelf.Colour',
    'Volo.Abp.Application.Dtos.PagedAndSortedResultRequestDto',
  ])
})

test('pages are instances of generics', () => {
  expect([...types.generics.keys()]).toEqual([
    'Volo.Abp.Application.Dtos.PagedResultDto<T0>',
    'Keel.Application.PagedResultWithFilters.PagedResultWithFiltersDto<T0>',
  ])
})

test.each([
  [z.string().trim().max(9), 'System.String', 'string'],
  [z.string().nullish(), 'System.String', 'string'],
  [z.enum(['a', 'b']), 'System.String', 'string'],
  [guid(), 'System.Guid', 'string'],
  [guid().nullish(), 'System.Guid?', 'string?'],
  [z.boolean().optional(), 'System.Boolean?', 'boolean?'],
  [z.boolean().default(false), 'System.Boolean', 'boolean'],
  [z.int(), 'System.Int64', 'number'],
  [z.int().max(5).nullable(), 'System.Int32?', 'number?'],
  [z.number(), 'System.Double', 'number'],
  [decimal(18, 2), 'System.Decimal', 'number'],
  [instant().nullish(), 'System.DateTime?', 'string?'],
  [calendarDate(), 'System.DateOnly', 'string'],
  [colour, 'Keel.LibraryShelf.Colour', 'enum'],
  [enumerationName('Colour', Colour).nullish(), 'System.String', 'string'],
  [colour.nullish(), 'Keel.LibraryShelf.Colour?', 'enum?'],
  [z.array(colour).nullish(), '[Keel.LibraryShelf.Colour]', '[enum]'],
  [z.array(z.array(z.int().max(1))), '[[System.Int32]]', '[[number]]'],
  [z.record(z.string(), z.array(z.string())), '{System.String:[System.String]}', '{string:[string]}'],
  [AuthorDto.schema.nullish(), 'Keel.LibraryShelf.AuthorDto', 'Keel.LibraryShelf.AuthorDto'],
  [z.unknown(), 'System.Object', 'object'],
])('a value has the type of .NET (%#)', (schema, type, typeSimple) => {
  expect(types.typeOf(schema)).toEqual({ type, typeSimple })
})

test('the argument of a generic is T in its definition', () => {
  expect(types.typeOf(z.array(AuthorDto.schema), AuthorDto)).toEqual({ type: '[T]', typeSimple: '[T]' })
})

test('what an operation gives is void, a list by its .NET name, or an instance of a generic', () => {
  const page = BookEditionAppService.contract.operations.get('getList')?.result
  expect(
    [undefined, z.array(guid()), page, AuthorDto].map((result) => types.resultType(result as never)),
  ).toEqual([
    { type: 'System.Void', typeSimple: 'System.Void' },
    { type: 'System.Collections.Generic.List<System.Guid>', typeSimple: '[string]' },
    {
      type: 'Keel.Application.PagedResultWithFilters.PagedResultWithFiltersDto<Keel.LibraryShelf.BookEditions.BookEditionDto>',
      typeSimple:
        'Keel.Application.PagedResultWithFilters.PagedResultWithFiltersDto<Keel.LibraryShelf.BookEditions.BookEditionDto>',
    },
    { type: 'Keel.LibraryShelf.AuthorDto', typeSimple: 'Keel.LibraryShelf.AuthorDto' },
  ])
})

test('ABP’s input of a plain page is the plain page’s', () => {
  expect([PagedInput, FilteredPagedInput].map(({ schema }) => types.typeOf(schema).type)).toEqual([
    'Volo.Abp.Application.Dtos.PagedAndSortedResultRequestDto',
    'Keel.Application.FilteredPagedInputs.FilteredPagedInput',
  ])
})

test.each([
  ['get', ['id'], 'GetAsyncById'],
  ['getList', [], 'GetListAsync'],
  ['update', ['id', 'input'], 'UpdateAsyncByIdAndInput'],
  ['findAsync', ['userName'], 'FindAsyncByUserName'],
])('%s by %j is the action %s', (name, parameters, action) => {
  expect(uniqueName(name, parameters)).toBe(action)
})

test.each([
  ['unLocode', 'UnLocode', null],
  ['co2Emissions', 'Co2Emissions', null],
  ['eTag', 'ETag', null],
  // Camel case would write `etag`, `x`.
  ['eTAG', 'eTAG', 'eTAG'],
  ['X', 'X', 'X'],
  ['data-set', 'data-set', 'data-set'],
])('the member %s has the name %s', (field, name, jsonName) => {
  expect(memberName(field)).toEqual({ name, jsonName })
})

test.each([
  ['Port', 'Ports'],
  ['Currency', 'Currencies'],
  ['Day', 'Days'],
  ['Address', 'Addresses'],
  ['Box', 'Boxes'],
  ['Filters', 'Filters'],
])('several of %s are %s', (one, several) => {
  expect(plural(one)).toBe(several)
})

test('a name of several words is written in Pascal case', () => {
  expect([pascalCase('permission-management'), pascalCase('getList')]).toEqual([
    'PermissionManagement',
    'GetList',
  ])
})

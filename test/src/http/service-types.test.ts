import { AutoApiController } from '@keel/framework'
import {
  AppService,
  crud,
  Dto,
  decimal,
  EntityDto,
  InputOf,
  id,
  instant,
  op,
  remoteService,
  z,
} from '@keel/framework/contracts'
import { Column, CrudService, DataType, Entity, FullyAuditedEntity } from '@keel/framework/data'
import { expect, test } from 'vitest'

// `npm run build` checks this file: each `@ts-expect-error` fails the build where the compiler sees no error.

const Shop = remoteService('Shop', 'shop')

class BookDto extends EntityDto({ title: z.string(), price: decimal(10, 2), soldAt: instant() }) {}
class BookInput extends InputOf(BookDto, 'soldAt') {}
class SaleInput extends Dto({ copies: z.int() }) {}
class GiftInput extends Dto({ copies: z.int(), wrapping: z.string() }) {}

abstract class BookAppService extends AppService(Shop, 'BookAppService', {
  ...crud(BookDto, BookInput),
  archive: op(id).returns(z.boolean()),
  sell: op(id, SaleInput),
}) {}
abstract class SaleAppService extends AppService(Shop, 'SaleAppService', {
  find: op(id).returns(BookDto),
  sell: op(id, SaleInput),
}) {}

@Entity('ServiceTypesBooks')
class Book extends FullyAuditedEntity {
  @Column(DataType.STRING(100)) declare title: string
  @Column(DataType.INTEGER) declare shelf: number
  @Column(DataType.DECIMAL(10, 2)) declare price: string
  @Column(DataType.DATE) declare soldAt: Date
}

const found = (): BookDto => new BookDto()

test('a service that keeps its contract compiles, with fewer parameters and a richer result too', () => {
  @AutoApiController(SaleAppService)
  class SaleService {
    async find() {
      return { ...found(), shelf: 3 }
    }
    async sell(_id: string, { copies }: SaleInput) {
      expect(copies).toBeGreaterThan(0)
    }
  }
  @AutoApiController(BookAppService)
  class BookService extends CrudService(BookAppService, Book, {
    searchIn: ['title'],
    defaultSorting: 'soldAt DESC, title',
  }) {
    override create(input: BookInput): Promise<BookDto> {
      return super.create({ ...input, shelf: 1 })
    }
    async archive() {
      return true
    }
    async sell() {}
  }
  expect([SaleService.name, BookService.name]).toEqual(['SaleService', 'BookService'])
})

test('a parameter of another type does not compile', () => {
  // @ts-expect-error the contract gives text
  @AutoApiController(SaleAppService)
  class NumberedSales {
    async find(_id: number) {
      return found()
    }
    async sell() {}
  }
  // @ts-expect-error the service asks for more than callers send
  @AutoApiController(SaleAppService)
  class GiftSales {
    async find() {
      return found()
    }
    async sell(_id: string, _input: GiftInput) {}
  }
  // @ts-expect-error the service asks for a parameter that the contract does not have
  @AutoApiController(SaleAppService)
  class LongSales {
    async find(_id: string, _language: string) {
      return found()
    }
    async sell() {}
  }
  expect([NumberedSales, GiftSales, LongSales]).toHaveLength(3)
})

test('a result of another type does not compile', () => {
  // @ts-expect-error a member is missing
  @AutoApiController(SaleAppService)
  class PoorSales {
    async find() {
      return { id: '', title: '', price: '' }
    }
    async sell() {}
  }
  // @ts-expect-error a decimal is exact text
  @AutoApiController(SaleAppService)
  class NumberSales {
    async find() {
      return { ...found(), price: 1.5 }
    }
    async sell() {}
  }
  // @ts-expect-error the contract promises no result
  @AutoApiController(SaleAppService)
  class TalkativeSales {
    async find() {
      return found()
    }
    async sell() {
      return { nonsense: 1 }
    }
  }
  // @ts-expect-error a result without a promise
  @AutoApiController(SaleAppService)
  class HastySales {
    find() {
      return found()
    }
    async sell() {}
  }
  expect([PoorSales, NumberSales, TalkativeSales, HastySales]).toHaveLength(4)
})

test('a missing operation does not compile', () => {
  // @ts-expect-error sell is missing
  @AutoApiController(SaleAppService)
  class IdleSales {
    async find() {
      return found()
    }
  }
  // @ts-expect-error archive and sell are missing
  @AutoApiController(BookAppService)
  class BareBooks extends CrudService(BookAppService, Book) {}
  expect([IdleSales, BareBooks]).toHaveLength(2)
})

test('operations that CrudService adds nothing to are checked as well', () => {
  // @ts-expect-error the contract gives text, and promises a boolean
  @AutoApiController(BookAppService)
  class WrongBooks extends CrudService(BookAppService, Book) {
    async archive(_id: number) {
      return { nonsense: 1 }
    }
    async sell() {}
  }
  class WrongOverride extends CrudService(BookAppService, Book) {
    // @ts-expect-error the list is a page
    override async getList() {
      return [found()]
    }
    // @ts-expect-error the input has no such type
    override async create(_input: number) {
      return found()
    }
  }
  expect([WrongBooks, WrongOverride]).toHaveLength(2)
})

test('searchIn takes texts of the entity alone, as the compiler and the start say', () => {
  // @ts-expect-error no attribute
  expect(() => CrudService(BookAppService, Book, { searchIn: ['titel'] })).toThrow(
    /^searchIn of Book names titel, which is none of its attributes: .*title/,
  )
  // @ts-expect-error a number
  expect(() => CrudService(BookAppService, Book, { searchIn: ['shelf'] })).toThrow(
    'searchIn of Book names shelf, which is no text',
  )
})

test('defaultSorting takes members of the DTO that are attributes, as the compiler and the start say', () => {
  // @ts-expect-error no member
  expect(() => CrudService(BookAppService, Book, { defaultSorting: 'titel' })).toThrow(
    "The defaultSorting 'titel' of Book does not fit BookDto",
  )
  // @ts-expect-error an attribute that the DTO does not show
  expect(() => CrudService(BookAppService, Book, { defaultSorting: 'shelf' })).toThrow(/shelf/)
  // @ts-expect-error the second member is none
  expect(() => CrudService(BookAppService, Book, { defaultSorting: 'title, prize DESC' })).toThrow(/prize/)
  // @ts-expect-error no direction
  expect(() => CrudService(BookAppService, Book, { defaultSorting: 'title DOWN' })).toThrow(/DOWN/)
})

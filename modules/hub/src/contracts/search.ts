import { AppService, Dto, EntityDto, guid, listOf, op, z } from '@keel/framework/contracts'
import { Hub } from './hub.js'

/** What a search finds, in the order in which an answer lists them. */
export const searchHitKinds = ['Shipment', 'Order', 'Container', 'Consol', 'Organization'] as const
/** One of {@link searchHitKinds}. */
export type SearchHitKind = (typeof searchHitKinds)[number]

/** The text to search for. */
export class SearchInput extends Dto({
  /**
   * Found anywhere in a field, in any case; without three letters or digits in a row only where a field begins with it. It has no wildcards.
   * @example MAEU12345
   */
  filter: z
    .string()
    .trim()
    .min(2)
    .max(100)
    // No pattern of the OpenAPI document: many of its readers do not know classes of Unicode.
    .refine((text) => /[\p{L}\p{N}]/u.test(text), 'Hub:Validation:SearchText'),

  /** The most hits of each kind. */
  maxResultCount: z.int().min(1).max(20).default(6),
}) {}

/** Something that a search found. */
export class SearchHitDto extends EntityDto({
  kind: z.enum(searchHitKinds),

  /**
   * The member of the kind's DTO that has the text.
   * @example houseBillNumber
   */
  field: z.string(),

  /** The value of that member. */
  text: z.string(),

  /** The reference, number or name that people know the found thing by. */
  title: z.string(),

  /** The customer of a shipment, the buyer of an order, the carrier of a consol, the type of a container, the code of an organization. */
  subtitle: z.string().nullish(),

  /** The status of a shipment, an order or a consol by its number; null for other kinds. */
  state: z.int().nullish(),

  /** The consol that a container is on; null for other kinds. */
  consolId: guid().nullish(),
}) {}

/** One search over what Hub's rows are known by. */
export abstract class SearchAppService extends AppService(Hub, 'SearchAppService', {
  /**
   * Finds shipments by references, bills, booking references and reference numbers, orders by their numbers, containers by numbers and seals, consols by
   * numbers, bills and booking references, organizations by codes and names. A caller finds what the list of a kind shows the caller, and nothing of
   * kinds whose list the caller may not read. Hits are sorted by kind; of each kind those that have exactly the text come first, then those that
   * begin with it, newest first.
   */
  getList: op(SearchInput).returns(listOf(SearchHitDto)),
}) {}

import { SavedViewDto } from '@keel/core/contracts'
import { Dto } from '@keel/framework/contracts'

/** A row of the entity set `SavedViews`: a view without its list of columns, which OData does not publish. */
export class SavedViewRow extends Dto(SavedViewDto.schema.omit({ columns: true }).shape) {}

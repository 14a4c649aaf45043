import { ExportScheduleDto, SavedViewDto } from '@keel/core/contracts'
import { Dto } from '@keel/framework/contracts'

/** A row of the entity set `SavedViews`: a view without its list of columns, which OData does not publish. */
export class SavedViewRow extends Dto(SavedViewDto.schema.omit({ columns: true }).shape) {}

/** A row of the entity set `ExportSchedules`: a schedule without its list of recipients, which OData does not publish. */
export class ExportScheduleRow extends Dto(ExportScheduleDto.schema.omit({ emailRecipients: true }).shape) {}

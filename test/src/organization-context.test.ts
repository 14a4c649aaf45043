import { type Sql, and, entityMeta, RowRules, sql } from '@keel/framework/data'
import { withAmbient } from '@keel/framework'

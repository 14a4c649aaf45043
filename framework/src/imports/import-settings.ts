import { z } from 'zod'
import { configurationSection } from '../modularity/configuration.js'

/** The bounds of imports of files. The size of a file is bounded by `App:MaxFileBytes`. */
export const ImportSettings = configurationSection('Imports', {
  /** The most rows of a file. */
  maxRows: z.int().min(1).default(100_000),
  /** The most imports of a user that wait or run. */
  maxUnfinished: z.int().min(1).default(3),
  /** How long files and reports are kept. */
  keepDays: z.int().min(1).default(7),
})

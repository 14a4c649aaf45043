import { z } from 'zod'
import { Dto } from './dto.js'

/** A value and what a list calls it (ABP's `NameValue`). */
export class NameValue extends Dto({ name: z.string(), value: z.string() }) {}

import { CreateStatusPageInput, UpdateComponentInput } from '@probe-mesh/contracts/status-page/status-page'
import type { Diagnostic } from '../protocol/diagnostic.ts'
import type { Schema } from '../protocol/schema.ts'
import type { ObjectValue } from '../protocol/value.ts'
import { configuredProblems } from './configured-problems.ts'
import { pageFields, pageSchema } from './status-page-schema.ts'

/** Terraform reports missing attributes itself. */
const PageInput = CreateStatusPageInput.partial()

export const validatePage = (config: ObjectValue): Diagnostic[] =>
  configuredProblems(pageSchema, config, pageFields, PageInput)

const shownFields = { display_name: 'displayName', description: 'description' }

export const validateComponent = (schema: Schema, config: ObjectValue): Diagnostic[] =>
  configuredProblems(schema, config, shownFields, UpdateComponentInput)

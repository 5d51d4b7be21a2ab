import type { Diagnostic, Path } from './diagnostic.ts'
import type { Schema } from './schema.ts'
import type { ObjectValue } from './value.ts'

/** What a call uses besides the client. */
export type CallContext = {
  /** Aborted by StopProvider: the user stopped Terraform. */
  signal: AbortSignal
  log(level: 'trace' | 'debug' | 'info' | 'warn' | 'error', message: string): void
}

/** An object after a call. A create that fails half-way returns what exists, and Terraform marks it tainted. */
export type Applied = {
  state: ObjectValue | null
  diagnostics: Diagnostic[]
  /** Bytes that Terraform stores for the resource and never shows; absent: unchanged. */
  private?: Uint8Array
}

/** A planned change, with defaults and unknowns in place. */
export type PlannedChange = {
  config: ObjectValue
  /** null: the object does not exist yet. */
  prior: ObjectValue | null
  planned: ObjectValue
  private: Uint8Array
}
export type PlanRule = {
  planned: ObjectValue
  replaces?: readonly Path[]
  diagnostics?: Diagnostic[]
  private?: Uint8Array
}

/**
 * A resource: its schema, rules between attributes, and four calls. It does not know Terraform's protocol.
 * Known values of a plan are returned unchanged.
 */
export type Resource<Client> = {
  /** The name in a configuration, such as `service_check`. */
  name: string
  schema: Schema
  /** Rules between attributes; unknown parts of the configuration are skipped. May load the rules first. */
  validate?(config: ObjectValue): Diagnostic[] | Promise<Diagnostic[]>
  plan?(change: PlannedChange): PlanRule
  /** What the service says of a plan: refusals and warnings. It never alters the plan. */
  review?(client: Client, change: PlannedChange, context: CallContext): Promise<Diagnostic[]>
  /** @param planned with the values of write-only attributes, as for `update` */
  create(client: Client, planned: ObjectValue, context: CallContext): Promise<Applied>
  /** @returns a null state when the object is gone; with errors the unchanged state */
  read(client: Client, state: ObjectValue, context: CallContext): Promise<Applied>
  update(client: Client, prior: ObjectValue, planned: ObjectValue, context: CallContext): Promise<Applied>
  /** Succeeds when the object is already gone. */
  remove(client: Client, prior: ObjectValue, context: CallContext): Promise<Diagnostic[]>
  /** The attributes in an import id; a read fills in the others. */
  importState(id: string): { state: ObjectValue } | { diagnostics: Diagnostic[] }
  /** Import ids that may have been meant instead of one that is refused, each with what has it. */
  suggestIds?(client: Client, refused: string, context: CallContext): Promise<string[]>
  /**
   * By old schema version: converts the stored JSON, in which whole numbers beyond 2^53 are bigints, to the
   * next version.
   */
  upgrades?: Readonly<Record<number, (stored: Record<string, unknown>) => Record<string, unknown>>>
}

/** A data source, which is only read. */
export type DataSource<Client> = {
  name: string
  schema: Schema
  validate?(config: ObjectValue): Diagnostic[]
  read(client: Client, config: ObjectValue, context: CallContext): Promise<Applied>
}

/** A provider, for the server that implements the protocol. */
export type Provider<Client> = {
  schema: Schema
  resources: readonly Resource<Client>[]
  dataSources: readonly DataSource<Client>[]
  /** @param config its unknown values are errors at their attribute */
  configure(
    config: ObjectValue,
    context: CallContext & { terraformVersion: string },
  ): Promise<{ client: Client } | { diagnostics: Diagnostic[] }>
}

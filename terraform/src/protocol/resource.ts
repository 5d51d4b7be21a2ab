import type { Diagnostic, Path } from './diagnostic.ts'
import type { Schema } from './schema.ts'
import type { ObjectValue } from './value.ts'

/** What a call may use besides the client. */
export type CallContext = {
  /** Aborted by StopProvider: Terraform was asked to end. */
  signal: AbortSignal
  log(level: 'trace' | 'debug' | 'info' | 'warn' | 'error', message: string): void
}

/** An object after a call. With errors a create that got half-way returns what there is: it is tainted. */
export type Applied = {
  state: ObjectValue | null
  diagnostics: Diagnostic[]
  /** Bytes that Terraform keeps for the resource and shows to nobody; absent: as they were. */
  private?: Uint8Array
}

/** A change as it is planned, after defaults and unknowns are in place; pure. */
export type PlannedChange = {
  config: ObjectValue
  /** null: there is none yet. */
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
 * A resource, declared once: its schema, the rules that its attributes alone cannot say, and four
 * calls. It knows nothing of how Terraform is spoken to. Known values of a plan come back as they are.
 */
export type Resource<Client> = {
  /** As in a configuration, such as `service_check`. */
  name: string
  schema: Schema
  /** Rules between attributes; any part of the configuration may be unknown, and is skipped then. */
  validate?(config: ObjectValue): Diagnostic[]
  plan?(change: PlannedChange): PlanRule
  /** Warnings of what the service knows of a change; they never alter the plan. */
  notices?(client: Client, change: PlannedChange, context: CallContext): Promise<Diagnostic[]>
  create(client: Client, planned: ObjectValue, context: CallContext): Promise<Applied>
  /** @returns a null state where the object is gone; with errors the state as it was */
  read(client: Client, state: ObjectValue, context: CallContext): Promise<Applied>
  update(
    client: Client,
    prior: ObjectValue,
    planned: ObjectValue,
    context: CallContext,
  ): Promise<Applied>
  /** What is not there any more is deleted. */
  remove(client: Client, prior: ObjectValue, context: CallContext): Promise<Diagnostic[]>
  /** The attributes that an import id names; a read fills the others. */
  importState(id: string): { state: ObjectValue } | { diagnostics: Diagnostic[] }
  /**
   * By the version that is upgraded: what was stored, as parsed JSON whose whole numbers beyond 2^53
   * are bigints, to what is stored next.
   */
  upgrades?: Readonly<Record<number, (stored: Record<string, unknown>) => Record<string, unknown>>>
}

/** What is only read. */
export type DataSource<Client> = {
  name: string
  schema: Schema
  validate?(config: ObjectValue): Diagnostic[]
  read(client: Client, config: ObjectValue, context: CallContext): Promise<Applied>
}

/** All that a provider is, for the server that speaks the protocol. */
export type Provider<Client> = {
  schema: Schema
  resources: readonly Resource<Client>[]
  dataSources: readonly DataSource<Client>[]
  /** @param config may hold unknown values: they are an error at their attribute */
  configure(
    config: ObjectValue,
    context: CallContext & { terraformVersion: string },
  ): Promise<{ client: Client } | { diagnostics: Diagnostic[] }>
}

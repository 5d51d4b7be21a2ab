import type { AnswerRoute } from './answer-routes.ts'
import type { Route } from '../schema/route.ts'

/** The declaration of a gateway tool: a route with a public name and arguments. */
export type Tool = {
  name: string
  title: string
  /** The result, side effects and cost of a call. */
  description: string
  /** A keyless answer, or a route of the account. */
  route: AnswerRoute | Route
  /** Argument names that differ from the route's parameters: `:id` is `checkId`. */
  argumentNames?: Readonly<Record<string, string>>
  /** Body fields of the route that are not arguments of the tool. */
  hidden?: readonly string[]
  /** Body fields that are optional in the route but required in the tool. */
  required?: readonly string[]
  annotations: ToolAnnotations
}

/** The argument for a parameter of the route. */
export const argumentOf = ({ argumentNames = {} }: Tool, parameter: string): string =>
  argumentNames[parameter] ?? parameter

/** Hints for clients that approve calls. All are set, since the defaults assume the worst case. */
type ToolAnnotations = {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  /** Whether a call reaches people or systems outside the account: mail, a new target. */
  openWorldHint: boolean
}

/** Reads only. */
export const reads: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** Adds something. A repeated call adds again. */
export const adds: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
}

/** Replaces or deletes something. The old value is lost. */
export const replaces: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
}

import type { AnswerRoute } from './answer-routes.ts'
import type { Route } from '../schema/route.ts'

/** A tool of the gateway as it is declared: a route, by its public name and arguments. */
export type Tool = {
  name: string
  title: string
  /** What it answers, what a call does besides, and what it costs. */
  description: string
  /** What answers: a keyless answer, or a route of the account. */
  route: AnswerRoute | Route
  /** The argument of each parameter of the route that has another name there: `:id` is `checkId`. */
  argumentNames?: Readonly<Record<string, string>>
  /** Fields of the route's body that are none of the tool's arguments. */
  hidden?: readonly string[]
  /** Fields of the route's body that the route may do without and the tool may not. */
  required?: readonly string[]
  annotations: ToolAnnotations
}

/** The argument that a parameter of the route is given by. */
export const argumentOf = ({ argumentNames = {} }: Tool, parameter: string): string =>
  argumentNames[parameter] ?? parameter

/** Hints to who decides whether a call may be made; every one is said, since defaults are the worst. */
export type ToolAnnotations = {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  /** Whether a call reaches people or machines outside of the account: mail, a new target. */
  openWorldHint: boolean
}

/** It reads what is there. */
export const reads: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** It adds, and the same again adds once more. */
export const adds: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
}

/** It changes what is there into what is said; what was there before is gone. */
export const replaces: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
}

export type Program = {
  readonly name: string
  /** Its source, from the root of the project. */
  readonly entry: string
  /** Flags of Node that limit its memory. */
  readonly flags: readonly string[]
}
export const programs: readonly Program[]
export const nodeEnvironment: Readonly<Record<string, string>>
export const lateFlags: (program: Pick<Program, 'flags'>, given: readonly string[]) => string[]
export const nodeFlags: (program: Pick<Program, 'flags'>, nodeOptions: string) => string[]

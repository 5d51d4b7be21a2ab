/** Where an act of the operator prints: data, and what a person should know about it. */
export type AdminOutput = { out(text: string): void; error(text: string): void }

/** Says why an act was not done, a line for each problem. @returns the exit code of that */
export const sayProblems = (output: AdminOutput, problems: readonly string[]): 1 => {
  for (const problem of problems) output.error(`admin: ${problem}\n`)
  return 1
}

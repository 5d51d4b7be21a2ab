/** Files that no program runs. A test may import what it tests. */
export const isTest = (path: string): boolean =>
  /\.test\.tsx?$|(?:^|\/)testing\/|(?:^|\/)testing[\w-]*\.tsx?$|contract-suite|\.fixture\.ts$/.test(path)

/** Whether a file belongs to a workspace that proves or measures the others. */
export const isProof = (path: string): boolean => /^(?:acceptance|bench)\//.test(path)

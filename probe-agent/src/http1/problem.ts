/** What is wrong with a message as HTTP: it is invalid, or its fields exceed a limit. */
export type Problem = 'malformed' | 'too_large'

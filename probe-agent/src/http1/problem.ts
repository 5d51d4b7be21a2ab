/** Why a message is not acceptable HTTP: it is invalid, or its fields exceed a limit. */
export type Problem = 'malformed' | 'too_large'

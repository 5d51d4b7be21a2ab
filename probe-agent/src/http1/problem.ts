/** What is wrong with a message as HTTP: it is none, or its fields are more than is read. */
export type Problem = 'malformed' | 'too_large'

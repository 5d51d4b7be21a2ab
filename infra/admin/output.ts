/** Where an act of the operator prints: data, and what a person should know about it. */
export type AdminOutput = { out(text: string): void; error(text: string): void }

/**
 * Payloads cross this bus as text, as they would cross a wire: nobody shares a reference, and what
 * JSON cannot say is lost here as it would be there.
 */
export const encode = (payload: unknown): string => JSON.stringify(payload) ?? 'null'

/**
 * The value of `encode`. The guarantee: every caller decodes only text that the same store encoded
 * from a value of type `T`, and `T` is made of what JSON keeps.
 */
export const decode = <T>(text: string): T => JSON.parse(text) as T

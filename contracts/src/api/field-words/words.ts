/**
 * Descriptions of fields for the OpenAPI document, some with an example, by `field` or `owner.field`. The owner is a
 * schema of the document, an operation, or the field that holds the field.
 */
export type Words = Readonly<Record<string, string | readonly [description: string, example: unknown]>>

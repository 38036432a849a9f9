/** A pattern of nothing but the text. */
export const exactly = (text: string): string => text.replace(/\W/g, String.raw`\$&`)

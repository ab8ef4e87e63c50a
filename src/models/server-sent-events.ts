/** Finds the data of server-sent events in text that comes in pieces. Names, ids and comments are skipped. */
export function createEventReader(onData: (data: string) => void): (piece: string) => void {
  let unread = '';
  let data: string | undefined;
  let isFirst = true;

  function readLine(line: string): void {
    if (line === '') {
      if (data !== undefined) onData(data);
      data = undefined;
    } else if (line.startsWith('data:')) {
      const value = line.slice(line[5] === ' ' ? 6 : 5);
      data = data === undefined ? value : `${data}\n${value}`;
    }
  }

  return (piece) => {
    const text = isFirst && piece.startsWith('\uFEFF') ? piece.slice(1) : unread + piece;
    isFirst = false;
    let begin = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', begin)) {
      readLine(text.slice(begin, text[end - 1] === '\r' && end > begin ? end - 1 : end));
      begin = end + 1;
    }
    unread = text.slice(begin);
  };
}

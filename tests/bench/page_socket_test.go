//go:build linux

package bench

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"
)

// bareSocket is a client of the portal that costs next to nothing: it takes frames apart only as far
// as it counts them.
type bareSocket struct {
	net.Conn
	in    *bufio.Reader
	frame []byte
}

// dialSocket opens a WebSocket of the portal with the secret of a login.
func dialSocket(base, path, secret string) (*bareSocket, error) {
	address := strings.TrimPrefix(base, "http://")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &bareSocket{Conn: conn, in: bufio.NewReaderSize(conn, 4<<10)}
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nAuthorization: Bearer %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", path, address, base, secret)
	if err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(s.in, nil)
	if err != nil {
		return nil, err
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusSwitchingProtocols {
		return nil, fmt.Errorf("open %s: %s", path, answer.Status)
	}
	return s, nil
}

// send sends a text frame.
func (s *bareSocket) send(m any) error {
	payload, err := json.Marshal(m)
	if err != nil {
		return err
	}
	frame := []byte{0x81, 0x80 | 127}
	frame = binary.BigEndian.AppendUint64(frame, uint64(len(payload)))
	mask := binary.LittleEndian.AppendUint32(nil, rand.Uint32())
	frame = append(frame, mask...)
	for i, b := range payload {
		frame = append(frame, b^mask[i%4])
	}
	_, err = s.Write(frame)
	return err
}

// next returns the next text frame, which is valid until the next call. Pings are not answered: a
// measurement ends before that counts.
func (s *bareSocket) next() ([]byte, error) {
	for {
		var head [2]byte
		if _, err := io.ReadFull(s.in, head[:]); err != nil {
			return nil, fmt.Errorf("read frame: %w", err)
		}
		size := uint64(head[1])
		var long [8]byte
		switch size {
		case 126:
			if _, err := io.ReadFull(s.in, long[6:]); err != nil {
				return nil, err
			}
			size = binary.BigEndian.Uint64(long[:])
		case 127:
			if _, err := io.ReadFull(s.in, long[:]); err != nil {
				return nil, err
			}
			size = binary.BigEndian.Uint64(long[:])
		}
		if uint64(cap(s.frame)) < size {
			s.frame = make([]byte, size)
		}
		s.frame = s.frame[:size]
		if _, err := io.ReadFull(s.in, s.frame); err != nil {
			return nil, err
		}
		switch kind := head[0] & 0xf; kind {
		case 1:
			return s.frame, nil
		case 8:
			return nil, fmt.Errorf("the portal closes the socket: %q", s.frame)
		}
	}
}

// turn reads to the end of the turn and returns the delays of the lines of the agent.
func (s *bareSocket) turn() (delays []int64, err error) {
	for {
		frame, err := s.next()
		switch {
		case err != nil:
			return delays, err
		case bytes.Contains(frame, []byte(`"type":"Error"`)):
			return delays, fmt.Errorf("the portal says %s", frame)
		case bytes.Contains(frame, []byte(`"type":"result"`)):
			return delays, nil
		case bytes.Contains(frame, []byte(`"type":"assistant"`)):
			if _, text, ok := bytes.Cut(frame, []byte(`"text":"`)); ok {
				delays = append(delays, time.Now().UnixNano()-stamp(string(text[:min(len(text), 24)])))
			}
		}
	}
}

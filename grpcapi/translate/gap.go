package translate

import (
	"fmt"
	"strconv"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// HistoryDamaged is the code of the notice that replaces unreadable events in an export.
const HistoryDamaged = "HISTORY_DAMAGED"

// GapOut returns the event that replaces a gap in an export: a notice without a sequence number.
func GapOut(session messages.SessionID, gap *messages.HistoryGap) *pb.AgentEvent {
	text := fmt.Sprintf("Events %d to %d are damaged and missing here", gap.From, gap.To)
	details := map[string]string{"from": strconv.FormatUint(uint64(gap.From), 10), "reason": gap.Reason}
	if gap.To > 0 {
		details["to"] = strconv.FormatUint(uint64(gap.To), 10)
	} else {
		text = fmt.Sprintf("Events from %d on are damaged and missing here", gap.From)
	}
	return &pb.AgentEvent{SessionId: string(session), Event: &pb.AgentEvent_Notice{
		Notice: &pb.Notice{Code: HistoryDamaged, Message: text, Details: details},
	}}
}

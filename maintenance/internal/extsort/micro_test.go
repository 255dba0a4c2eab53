package extsort
import ("testing";"math/rand/v2";"github.com/firndb/firn/maintenance/internal/rowkey";"encoding/binary")
func BenchmarkMSD(b *testing.B) {
	r := rand.New(rand.NewPCG(1,2))
	in := make([]item, 5_800_000)
	for i := range in { in[i] = item{r.Uint64()>>4, uint32(i), 0} }
	x, y := make([]item, len(in)), make([]item, len(in))
	for b.Loop() { copy(x, in); sortItems(x, y) }
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(in)), "ns/row")
}
func BenchmarkJoin(b *testing.B) {
	r := rand.New(rand.NewPCG(1,2))
	x, y := make([]item, 2000), make([]item, 2000)
	for i := range x { x[i] = item{r.Uint64()>>4, uint32(i), 0} ; y[i] = item{r.Uint64()>>4, uint32(i), 0} }
	dst := make([]item, 4000)
	sortItems(x, dst); sortItems(y, dst)
	c := Chunk{digest: &digest{exact: true}}
	for b.Loop() { for range 1000 {c.join(dst, x, y)} }
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4e6, "ns/row")
}
func BenchmarkPack(b *testing.B) {
	r := rand.New(rand.NewPCG(1,2))
	var keys rowkey.Keys
	for range 8192 { keys.Data = binary.BigEndian.AppendUint64(append(keys.Data,1), uint64(r.IntN(1<<22))); keys.Data = binary.BigEndian.AppendUint64(append(keys.Data,1), uint64(r.IntN(1<<38))); keys.Ends = append(keys.Ends, uint32(len(keys.Data))) }
	var s survey
	b.Run("survey", func(b *testing.B) { for b.Loop() { for range 100 {s.add(keys) }}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/819200, "ns/row")})
	d := s.digest()
	items := make([]item, 0, 8192)
	b.Run("pack", func(b *testing.B) { for b.Loop() { for range 100 {d.pack(items, keys, nil, 0) }}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/819200, "ns/row")})
}

// A gRPC server of grpc-go's own test service, with server reflection. Prints its port. With three
// files as arguments (certificate, key, authority of clients; PEM) it uses TLS, and requires a
// certificate of each client, whose name is in the field x-client of answers to UnaryCall.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding/gzip"
	testing "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
)

type service struct {
	testing.UnimplementedTestServiceServer
}

// Metadata that a client sends and gets back.
var echoed = []string{"x-text", "x-bytes-bin"}

func wanted(asked *testing.EchoStatus) error {
	if asked.GetCode() == 0 {
		return nil
	}
	return status.Error(codes.Code(asked.GetCode()), asked.GetMessage())
}

func payload(size int32) *testing.Payload {
	return &testing.Payload{Body: make([]byte, size)}
}

func (service) UnaryCall(ctx context.Context, in *testing.SimpleRequest) (*testing.SimpleResponse, error) {
	sent, _ := metadata.FromIncomingContext(ctx)
	back := metadata.MD{}
	for _, name := range echoed {
		back.Append(name, sent.Get(name)...)
	}
	if from, ok := peer.FromContext(ctx); ok {
		if info, ok := from.AuthInfo.(credentials.TLSInfo); ok {
			back.Append("x-client", info.State.PeerCertificates[0].Subject.CommonName)
		}
	}
	if err := grpc.SetHeader(ctx, back); err != nil {
		return nil, err
	}
	if err := grpc.SetTrailer(ctx, metadata.Pairs("x-end", "yes")); err != nil {
		return nil, err
	}
	if in.GetResponseCompressed().GetValue() {
		if err := grpc.SetSendCompressor(ctx, gzip.Name); err != nil {
			return nil, err
		}
	}
	if in.GetFillUsername() {
		// Until the deadline of the call.
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if err := wanted(in.GetResponseStatus()); err != nil {
		return nil, err
	}
	return &testing.SimpleResponse{Payload: payload(in.GetResponseSize())}, nil
}

func (service) StreamingOutputCall(in *testing.StreamingOutputCallRequest, stream grpc.ServerStreamingServer[testing.StreamingOutputCallResponse]) error {
	for _, one := range in.GetResponseParameters() {
		if err := stream.Send(&testing.StreamingOutputCallResponse{Payload: payload(one.GetSize())}); err != nil {
			return err
		}
	}
	return wanted(in.GetResponseStatus())
}

func (service) StreamingInputCall(stream grpc.ClientStreamingServer[testing.StreamingInputCallRequest, testing.StreamingInputCallResponse]) error {
	var size int
	for {
		in, err := stream.Recv()
		if err == io.EOF {
			return stream.SendAndClose(&testing.StreamingInputCallResponse{AggregatedPayloadSize: int32(size)})
		}
		if err != nil {
			return err
		}
		size += len(in.GetPayload().GetBody())
	}
}

func (service) FullDuplexCall(stream grpc.BidiStreamingServer[testing.StreamingOutputCallRequest, testing.StreamingOutputCallResponse]) error {
	for {
		in, err := stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := wanted(in.GetResponseStatus()); err != nil {
			return err
		}
		if err := stream.Send(&testing.StreamingOutputCallResponse{Payload: in.GetPayload()}); err != nil {
			return err
		}
	}
}

// Options for TLS with these files.
func secure(certificate, key, authority string) ([]grpc.ServerOption, error) {
	own, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	pem, err := os.ReadFile(authority)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("no certificate in " + authority)
	}
	config := &tls.Config{Certificates: []tls.Certificate{own}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
	return []grpc.ServerOption{grpc.Creds(credentials.NewTLS(config))}, nil
}

func main() {
	var options []grpc.ServerOption
	if len(os.Args) == 4 {
		var err error
		if options, err = secure(os.Args[1], os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server := grpc.NewServer(options...)
	testing.RegisterTestServiceServer(server, service{})
	reflection.Register(server)
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	// The test that started this ends it by closing its input.
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		server.Stop()
	}()
	if err := server.Serve(listener); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
